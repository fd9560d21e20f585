"""What a mix zone lets people exchange: rules of speed and rotation, several releases as one."""
