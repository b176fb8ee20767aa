"""Boundaries measured against speech whose times are exact: python -m alignment.bench"""
